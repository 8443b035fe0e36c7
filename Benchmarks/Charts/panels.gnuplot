# Draws contenders side by side, a panel for each thing they did, as SVG and PNG:
# `gnuplot -c panels.gnuplot DATA OUTPUT TITLE`.
#
# DATA is a file as PanelData writes it; OUTPUT is the pictures' path without its extension. Bars are operations a second:
# longer is better. What stands beside them is the time that one takes.
data = ARG1
output_path = ARG2
title_text = ARG3

set datafile separator "\t"

# The titles of the panels, and the text below the title of the page.
array titles[64]
panel_count = 0
stats data index 0 using (panel_count = panel_count + 1, titles[panel_count] = strcol(1), 0) nooutput
subtitle = ""
stats data index (panel_count + 1) using (subtitle = subtitle . (strlen(subtitle) ? "\n" : "") . strcol(1), 0) nooutput
stats data index 1 using 1 name "line" nooutput

columns = panel_count < 3 ? panel_count : 3
rows = int((panel_count + columns - 1) / columns)
line_height = 20.0
panel_height = 34 + line_height * (line_max + 1.4)
top_height = 96.0
width = 340 * columns + 40
if (width < 720) { width = 720 }
height = top_height + panel_height * rows + 16

# The first contender, others of its kind, all others.
color(number) = number == 1 ? 0x2463EB : number == 2 ? 0x86A8F5 : 0xB4BCC6

set yrange [line_max + 0.6:-0.6]
set xrange [0:*]
unset xtics
unset ytics
unset key
set border 0
set style fill solid 1 noborder

fonts = "DejaVu Sans,Helvetica,Arial,sans-serif"

do for [kind in "svg png"] {
  if (kind eq "svg") {
    set terminal svg size width, height enhanced font fonts.",11" background rgb "#FFFFFF"
  } else {
    set terminal pngcairo size width, height enhanced font "DejaVu Sans,8.5" background rgb "#FFFFFF"
  }
  set output output_path.".".kind
  set multiplot
  set label 1 "{/:Bold=17 ".title_text."}" at screen 20.0 / width, screen 1 - 24.0 / height left textcolor rgb "#111111"
  set label 2 subtitle noenhanced at screen 20.0 / width, screen 1 - 46.0 / height left font ",10.5" textcolor rgb "#666666"
  do for [panel = 1:panel_count] {
    column = (panel - 1) % columns
    row = int((panel - 1) / columns)
    left = (20.0 + 340.0 * column) / width
    top = 1 - (top_height + panel_height * row) / height
    set lmargin at screen left + 112.0 / width
    set rmargin at screen left + 262.0 / width
    set tmargin at screen top - 24.0 / height
    set bmargin at screen top - (panel_height - 10) / height
    set label 3 "{/:Bold ".titles[panel]."}" at screen left, screen top - 10.0 / height left textcolor rgb "#111111"
    plot \
      data index panel using (0):1:(0):2:($1 - 0.36):($1 + 0.36):(color($3)) with boxxyerror linecolor rgb variable, \
      data index panel using (0):1:4 with labels right offset character -0.8, 0 textcolor rgb "#333333", \
      data index panel using 2:1:5 with labels left offset character 0.8, 0 textcolor rgb "#111111"
    unset label 1
    unset label 2
  }
  unset multiplot
  unset output
}

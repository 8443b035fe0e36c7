# Draws the bars of one quantity as SVG and PNG, for `gnuplot -c bars.gnuplot DATA OUTPUT TITLE UNIT SCALE`.
#
# DATA is a file as ChartData writes it; OUTPUT is the pictures' path without its extension; SCALE is `log` or
# `linear`.
data = ARG1
output_path = ARG2
title_text = ARG3
unit = ARG4
is_log = ARG5 eq "log"

set datafile separator "\t"

stats data index 0 using 1 name "line" nooutput
stats data index 0 using 4 name "largest" nooutput
stats data index 0 using 3 name "least" nooutput

# The text below the title: the data's last block, a line each.
subtitle = ""
stats data index 2 using (subtitle = subtitle . (strlen(subtitle) ? "\n" : "") . strcol(1), 0) nooutput

line_height = 22
top_height = 100
bottom_height = 40
width = 900
height = top_height + bottom_height + line_height * (line_max + 1.2)

# Where the bars begin: the power of ten below the least value, since a logarithm has no zero.
start = is_log ? 10 ** floor(log10(least_min)) : 0
# Names stand at the beginning; a logarithm of it may lie a rounding error outside of the axis, and would not be drawn.
edge = start * (1 + 1e-9)
end = is_log ? largest_max * 8 : largest_max * 1.18

# The groups take colors in turn; 0 stands for a limit that others are held against.
array colors[6] = [0x4C78A8, 0x2F9E8F, 0xB279A2, 0xE08B3A, 0xD1A52A, 0xC8505A]
color(group) = group < 1 ? 0xB4BCC6 : colors[1 + (int(group) - 1) % 6]

draw = "plot \
  data index 0 using (start):1:(start):2:($1 - 0.34):($1 + 0.34):(color($5)) \
    with boxxyerror fill solid 0.88 noborder linecolor rgb variable, \
  data index 0 using 2:1:3:4 with xerrorbars pointtype -1 linewidth 1.2 linecolor rgb '#333333', \
  data index 0 using (edge):1:6 with labels right offset character -1, 0 textcolor rgb '#333333', \
  data index 0 using 4:1:7 with labels left offset character 0.8, 0 textcolor rgb '#111111', \
  data index 1 using (edge):1:(sprintf('{/:Bold %s}', strcol(2))) \
    with labels left offset screen -0.34, 0 textcolor rgb '#111111'"

set xrange [start:end]
set yrange [line_max + 0.7:-0.7]
if (is_log) {
  set logscale x
  set xtics ("1 ns" 1, "10 ns" 10, "100 ns" 100, "1 us" 1e3, "10 us" 1e4, "100 us" 1e5, "1 ms" 1e6, "10 ms" 1e7, "100 ms" 1e8, "1 s" 1e9, "10 s" 1e10)
} else {
  set xtics autofreq
  set format x "%g " . unit
}
set grid xtics linetype 1 linewidth 1 linecolor rgb "#E6E6E6"
set tics scale 0 textcolor rgb "#666666"
unset ytics
unset key
set border 0
set lmargin at screen 0.36
set rmargin at screen 0.97
set tmargin at screen 1 - top_height / height
set bmargin at screen bottom_height / height
set label 1 "{/:Bold=17 ".title_text."}" at screen 0.02, screen 1 - 24.0 / height left textcolor rgb "#111111"
set label 2 subtitle noenhanced at screen 0.02, screen 1 - 48.0 / height left font ",11" textcolor rgb "#666666"

fonts = "DejaVu Sans,Helvetica,Arial,sans-serif"
set terminal svg size width, height enhanced font fonts.",12" background rgb "#FFFFFF"
set output output_path.".svg"
@draw
set terminal pngcairo size width, height enhanced font "DejaVu Sans,9" background rgb "#FFFFFF"
set output output_path.".png"
@draw

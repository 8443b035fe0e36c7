# Draws how the contenders' figures depend on something, as SVG and PNG:
# `gnuplot -c lines.gnuplot DATA OUTPUT TITLE XLABEL KIND`.
#
# DATA is a file as LineData writes it; OUTPUT is the pictures' path without its extension; KIND is `count` for an axis of
# numbers, `share` for one of slow calls, one of so many, `time` and `size` for what passes in seconds: times, or ratios.
data = ARG1
output_path = ARG2
title_text = ARG3
x_label = ARG4
is_share = ARG5 eq "share"
is_size = ARG5 eq "size"
passes = is_size || ARG5 eq "time"

set datafile separator "\t"

array names[32]
series_count = 0
stats data using 2 name "least" nooutput
stats data index 0 using (series_count = series_count + 1, names[series_count] = strcol(1), 0) nooutput
subtitle = ""
stats data index (series_count + 1) using (subtitle = subtitle . (strlen(subtitle) ? "\n" : "") . strcol(1), 0) nooutput

# The first two are forms of the same store.
array colors[9] = [0x2463EB, 0x86A8F5, 0xE08B3A, 0x2F9E8F, 0xB279A2, 0xC8505A, 0xD1A52A, 0x7A8794, 0x8C6D4F]

width = 760
height = 470
if (!is_size) { set logscale y }
if (!passes) { set logscale x }
# A little before the power of ten below the least time: rounding would leave out the first line.
if (is_size) { set yrange [0:*] } else { set yrange [0.999 * 10 ** floor(log10(least_min)):*] }
if (passes) {
  set xtics autofreq
} else { if (is_share) {
  set xtics ("half" 2, "1 of 100" 100, "1 of 1,000" 1000, "1 of 10,000" 10000)
} else {
  set xtics ("10" 10, "100" 100, "1,000" 1e3, "10,000" 1e4, "100,000" 1e5, "1,000,000" 1e6, "10,000,000" 1e7)
} }
if (!is_size) { set ytics ("10 ns" 10, "100 ns" 100, "1 us" 1e3, "10 us" 1e4, "100 us" 1e5, "1 ms" 1e6, "10 ms" 1e7, "100 ms" 1e8, "1 s" 1e9) }
set xlabel x_label textcolor rgb "#666666"
set grid ytics linetype 1 linewidth 1 linecolor rgb "#E6E6E6"
set tics scale 0 textcolor rgb "#666666"
set border 0
set lmargin at screen 0.10
set rmargin at screen 0.73
set tmargin at screen 1 - 104.0 / height
set bmargin at screen 62.0 / height
set key at screen 0.99, screen 1 - 104.0 / height right top vertical Left reverse samplen 1.6 textcolor rgb "#333333"
set offsets graph 0.02, graph 0.02, 0, 0
set label 1 "{/:Bold=17 ".title_text."}" at screen 0.02, screen 1 - 24.0 / height left textcolor rgb "#111111"
set label 2 subtitle noenhanced at screen 0.02, screen 1 - 46.0 / height left font ",10.5" textcolor rgb "#666666"

draw = "plot for [number = 1:series_count] data index number using 1:2 with linespoints \
  linewidth (number == 1 ? 3.2 : 1.6) pointtype 7 pointsize (passes ? 0.01 : number == 1 ? 0.8 : 0.5) \
  linecolor rgb colors[1 + (number - 1) % 9] title names[number]"

fonts = "DejaVu Sans,Helvetica,Arial,sans-serif"
set terminal svg size width, height enhanced font fonts.",12" background rgb "#FFFFFF"
set output output_path.".svg"
@draw
set terminal pngcairo size width, height enhanced font "DejaVu Sans,9" background rgb "#FFFFFF"
set output output_path.".png"
@draw

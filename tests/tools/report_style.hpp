// The style sheet of the page about an audit trail.
#pragma once

#include <string_view>

namespace robots::check {

inline constexpr std::string_view report_style = R"css(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1b1f24; --soft: #59636e; --line: #d5dae1;
  --link: #0b57c2; --good: #2f7fd1; --bad: #c8501e; --ok: #1a7f37;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101418; --card: #191f26; --text: #e4e9ef; --soft: #9aa6b2; --line: #323b46;
    --link: #7db4ff; --good: #5aa2ee; --bad: #f08a55; --ok: #56c271;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif;
}
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; }
.soft, caption, th { color: var(--soft); }
a { color: var(--link); }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.tiles {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11.5rem, 42%), 1fr));
  gap: .75rem;
  margin: 1rem 0; padding: 0; list-style: none;
}
.tiles li, .card {
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem;
}
.tiles b {
  display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums;
}
.tiles a { text-decoration: none; }
.card { overflow-x: auto; }
.bad { color: var(--bad); }
.ok { color: var(--ok); }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; font-size: .85rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
td.number, th.number {
  text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap;
}
td.name { min-width: 11rem; overflow-wrap: anywhere; }
time { white-space: nowrap; font-variant-numeric: tabular-nums; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
code { overflow-wrap: anywhere; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
svg { display: block; width: 100%; min-width: 34rem; height: auto; }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
svg .axis { stroke: var(--line); }
svg .good { fill: var(--good); }
svg .bad { fill: var(--bad); }
svg a:hover rect, svg a:focus rect { opacity: .7; }
.key { display: flex; flex-wrap: wrap; gap: 0 1.25rem; font-size: .85rem; color: var(--soft); }
.key i {
  display: inline-block; width: .75rem; height: .75rem; border-radius: 2px; margin-right: .35rem;
}
.key .good { background: var(--good); }
.key .bad { background: var(--bad); }
.list {
  display: none; position: fixed; inset: auto 0 0 0; max-height: 70vh; overflow: auto;
  background: var(--card); border-top: 2px solid var(--link); padding: .75rem 1rem 1.5rem;
  box-shadow: 0 -.5rem 1.5rem rgb(0 0 0 / .25);
}
.list:target { display: block; }
.list > * { max-width: 66rem; margin-left: auto; margin-right: auto; }
.list h3 { font-size: 1rem; margin-top: 0; margin-bottom: .5rem; }
.list .close { float: right; }
.list ol { padding: 0; list-style: none; }
.list li { border-top: 1px solid var(--line); padding: .4rem 0; }
)css";

}  // namespace robots::check

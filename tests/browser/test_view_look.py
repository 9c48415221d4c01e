"""The look of the desk: chosen colours, large type, and a page that is all ours."""

import pytest

from tests.browser.desk import ALL, Mount, event, line, over, run, show, stop

LESSON = """() => {
  document.body.className = "mingraph";
  const names = [
    "card", "line", "mark", "mark past", "buttons", "rule", "note", "said",
    "slip", "folder", "aloud", "who", "panels", "controls", "say", "more",
    "all", "fold", "earlier", "before", "long", "timeline", "slider", "turn",
    "stop", "heard", "ask", "order", "choice", "choices", "row", "tag",
    "verdict", "parsons", "grip", "blank", "why", "typed", "state", "count",
    "desk", "calling", "running new", "by-running"];
  const outside = document.getElementById("outside");
  for (const name of names) for (const tag of ["div", "button", "ol", "p", "code"]) {
    const node = document.createElement(tag);
    node.className = name;
    node.innerHTML = "<li>li</li><b>b</b><code>c</code><h2>h</h2><button>x</button>";
    outside.append(node);
  }
}"""
STYLES = """() => [...document.querySelectorAll("#outside *")].map((node) =>
  [node.className, ...[...getComputedStyle(node)].map((name) =>
    name + ": " + getComputedStyle(node).getPropertyValue(name))].join("; "))"""
SHEET = """(href) => new Promise((resolve) => {
  const sheet = document.createElement("link");
  Object.assign(sheet, { rel: "stylesheet", href, onload: resolve });
  document.head.append(sheet);
})"""


def test_a_lesson_on_a_page_that_is_ours_may_name_its_parts_as_it_likes(
    mount: Mount,
) -> None:
    page = mount()
    page.evaluate("document.querySelectorAll('link[rel=stylesheet]')[1].remove()")
    page.evaluate("view.destroy()")
    page.evaluate(LESSON)
    before = page.evaluate(STYLES)
    for sheet in ["folder_and_card.css", "question_card.css", "lines_to_order.css"]:
        page.evaluate(SHEET, sheet)
    after = page.evaluate(STYLES)
    assert len(before) > 1000
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert changed == []


def test_with_chosen_colours_every_difference_can_still_be_seen(mount: Mount) -> None:
    page = mount(forced_colors="active")
    look = """([one, other]) => {
      const of = (which) => {
        const style = getComputedStyle(document.querySelector(which));
        return ["border", "color", "backgroundColor", "borderLeft"]
          .map((n) => style[n]);
      };
      return JSON.stringify(of(one)) !== JSON.stringify(of(other));
    }"""
    show(page, run(), 3, busy=True)
    pairs = [
        (".mark[aria-current]", ".mark.past:not([aria-current])"),
        (".mark.past:not([aria-current])", ".mark:not(.past)"),
        ("#place li.new", "#place li:not(.new)"),
        (".buttons .stop", ".buttons button[aria-disabled=false]:not(.main)"),
        (".buttons .main", ".buttons button[aria-disabled=false]:not(.main)"),
    ]
    same = [pair for pair in pairs if not page.evaluate(look, list(pair))]
    kinds = []
    ways = ["calling", "running", "finished", "human"]
    for kind in ways:
        show(page, [stop(kind)], 0)
        kinds.append(
            page.eval_on_selector(".card", "c => getComputedStyle(c).borderTop")
        )
    assert (same, len({*kinds})) == ([], len(ways))


@pytest.mark.parametrize(("wide", "high"), [(751, 720), (366, 800)])
@pytest.mark.parametrize("panels", [["folder", "card"], ALL])
def test_large_type_stays_within_its_place(
    mount: Mount, wide: int, high: int, panels: list[str]
) -> None:
    page = mount(width=wide, height=high)
    page.evaluate("document.getElementById('outside').remove()")
    noted = [event("model_reply", "note " * 20), event("warning")]
    recorded = [
        *run()[:5],
        stop("other", line("user", "w" * 300), name="ACardWithAVeryLongName" * 2),
        over("failed", None, "E" * 400) | {"events": noted},
    ]
    for at in range(len(recorded)):
        show(page, recorded, at, panels=panels, size="large")
        outside = page.evaluate("""() => {
          const desk = document.querySelector(".desk").getBoundingClientRect();
          return [...document.querySelectorAll("#place *")].filter((node) =>
            !node.closest(".line, pre") && node.offsetParent
            && node.getBoundingClientRect().right > desk.right + 1)
            .map((node) => node.className);
        }""")
        page_wide = page.evaluate("document.documentElement.scrollWidth")
        assert (outside, page_wide) == ([], wide)

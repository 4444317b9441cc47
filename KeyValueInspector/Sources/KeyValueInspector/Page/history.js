// The slider over a log's records: what each changed, and the graph's values after it.
import { count } from "./state.js";
import { element } from "./elements.js";

export class History {
  // `parts` has the elements; `ask` gets an answer for an address, and `fail` shows an error.
  constructor(parts, ask, fail) {
    this.parts = parts;
    this.ask = ask;
    this.fail = fail;
    this.range = null;
    this.isAsking = false;
    this.isStale = false;
    parts.slider.addEventListener("input", () => this.show());
    parts.back.addEventListener("click", () => this.step(-1));
    parts.forth.addEventListener("click", () => this.step(1));
  }

  get position() { return Number(this.parts.slider.value); }

  // Takes the positions that there are. At the end, the slider stays at the end.
  take(range) {
    const { section, slider } = this.parts;
    const isOther = this.range?.log !== range.log;
    const isAtEnd = isOther || this.position === this.range.last;
    this.range = range;
    section.hidden = false;
    const before = this.position;
    // The largest first: a value outside the limits would be changed.
    slider.max = String(range.last);
    slider.min = String(range.first);
    if (isAtEnd) slider.value = String(range.last);
    this.enable();
    // The title has the number of records.
    if (isOther || this.position !== before || !isAtEnd) this.show();
  }

  step(distance) {
    this.parts.slider.value = String(this.position + distance);
    this.show();
  }

  enable() {
    this.parts.back.disabled = this.position <= this.range.first;
    this.parts.forth.disabled = this.position >= this.range.last;
  }

  // Asks for the slider's position: one question at a time, and at last for the latest position.
  async show() {
    this.enable();
    if (this.isAsking) {
      this.isStale = true;
      return;
    }
    this.isAsking = true;
    try {
      do {
        this.isStale = false;
        const answer = await this.ask(`history?position=${this.position}`);
        if (!this.isStale) this.draw(answer);
      } while (this.isStale);
    } catch (error) {
      this.fail(error);
    } finally {
      this.isAsking = false;
    }
  }

  draw(answer) {
    const { title, edits, note, values } = this.parts;
    title.textContent = answer.title;
    edits.replaceChildren(...answer.edits.map((words) => element("li", {}, [words])));
    const left = answer.leftOut > 0 ? ` ${count(answer.leftOut, "more object")} not listed.` : "";
    note.textContent = answer.problem
      ?? `The stored values then, on a copy: the program goes on as it is.${left}`;
    values.replaceChildren(...answer.objects.map((object) => element("table", {
      class: object.isNew ? "keys new" : "keys", "data-object": object.id,
    }, [
      element("caption", {}, [object.isNew ? `${object.name}, new` : object.name]),
      ...object.keys.map((key) => element("tr", {
        "data-key": key.key, class: key.old == null ? "" : "changed",
      }, [
        element("td", { class: "mono" }, [key.key]),
        element("td", { class: "value" }, [
          ...(key.old == null ? [] : [element("del", {}, [key.old]), " "]), key.value,
        ]),
      ])),
    ])));
  }
}

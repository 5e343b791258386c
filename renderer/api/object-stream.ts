/**
 * Parses the objects of the one array in a JSON text incrementally: `add` returns the objects that its text completed.
 * `head` is the text before the array, `tail` the text after it.
 */
export class ObjectStream {
  head = ''
  /** Whether the JSON text is complete. */
  isDone = false
  #text = ''
  #at = 0
  #start = 0
  /** Index where `tail` begins. */
  #tailAt = Infinity
  #depth = 0
  #isInArray = false
  #isInString = false

  get tail(): string {
    return this.#text.slice(this.#tailAt)
  }

  add(text: string): unknown[] {
    this.#text += text
    const found: unknown[] = []
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at]
      if (this.#isInString) {
        if (character === '\\') {
          // An escaped character never ends the string.
          this.#at++
        } else if (character === '"') {
          this.#isInString = false
        }
      } else if (character === '"') {
        this.#isInString = true
      } else if (!this.#isInArray) {
        this.#readOutside(character)
      } else if (character === '{') {
        this.#start = this.#depth++ === 0 ? this.#at : this.#start
      } else if (character === '}' && --this.#depth === 0) {
        found.push(JSON.parse(this.#text.slice(this.#start, this.#at + 1)))
        this.#start = this.#at + 1
      } else if (character === ']' && this.#depth === 0) {
        this.#isInArray = false
        this.#tailAt = this.#at
      }
    }
    if (this.#isInArray) {
      const kept = this.#depth > 0 ? this.#start : this.#text.length
      this.#text = this.#text.slice(kept)
      this.#at -= kept
      this.#start = 0
    }
    return found
  }

  #readOutside(character: string | undefined) {
    if (character === '[') {
      this.head = this.#text.slice(0, this.#at)
      this.#isInArray = true
    } else if (character === '}') {
      this.isDone = true
    }
  }
}

/**
 * Takes objects out of the one array in a JSON text while the text arrives: `add` returns those that it completed. What
 * stands before the array is `head`, what stands after it `tail`.
 */
export class ObjectStream {
  head = ''
  /** Whether the text is whole. */
  isDone = false
  #text = ''
  #at = 0
  #start = 0
  /** After the array. */
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
          // Whatever it escapes ends no string.
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

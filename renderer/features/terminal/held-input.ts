// Arrows, function keys and the reports of a terminal about itself: run unseen, an arrow and Enter repeat an old command.
// The marks around a paste are among them; its text is not.
const sequences = /\x1b(?:\[M.{3}|\[[0-?]*[ -/]*[@-~]|O.|[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)|.)?/gsu
const deletes = /[\x7f\b]/

/** Text that was typed while nobody could see what it does. It goes nowhere until the person says so. */
export function createHeldInput(onChange: (text: string) => void) {
  let held: string[] = []

  function set(characters: string[]) {
    const isChange = characters.length > 0 || held.length > 0
    held = characters
    if (isChange) {
      onChange(held.join(''))
    }
  }

  return {
    isEmpty: () => held.length === 0,
    /** Keeps text and control characters; Backspace takes the last one away. */
    add(data: string) {
      const next = [...held]
      for (const character of data.replaceAll(sequences, '')) {
        if (deletes.test(character)) {
          next.pop()
        } else {
          next.push(character)
        }
      }
      set(next)
    },
    /** Hands over what is held, and holds nothing more. */
    take() {
      const text = held.join('')
      set([])
      return text
    },
  }
}

/** Typed text as it is shown: every character that has no look of its own gets one. */
export const visibleText = (text: string) =>
  text.replaceAll(/[\0-\x1f\x7f]/g, (character) =>
    character === '\r' || character === '\n'
      ? '⏎\n'
      : character === '\t'
        ? '⇥'
        : `^${String.fromCharCode(character.charCodeAt(0) ^ 0x40)}`,
  )

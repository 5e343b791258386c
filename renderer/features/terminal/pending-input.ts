// Escape sequences of arrows, function keys and terminal reports are dropped: executed unseen, Up and Enter repeat an
// old command. The markers around a paste are dropped, its text is not.
const sequences = /\x1b(?:\[M.{3}|\[[0-?]*[ -/]*[@-~]|O.|[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)|.)?/gsu
const deletes = /[\x7f\b]/

/** Holds text typed while the shell was unreachable, until the user sends or discards it. */
export function createPendingInput(onChange: (text: string) => void) {
  let pending: string[] = []

  function set(characters: string[]) {
    const isChange = characters.length > 0 || pending.length > 0
    pending = characters
    if (isChange) {
      onChange(pending.join(''))
    }
  }

  return {
    isEmpty: () => pending.length === 0,
    /** Adds text and control characters; Backspace removes the last one. */
    add(data: string) {
      const next = [...pending]
      for (const character of data.replaceAll(sequences, '')) {
        if (deletes.test(character)) {
          next.pop()
        } else {
          next.push(character)
        }
      }
      set(next)
    },
    /** Returns and clears the pending text. */
    take() {
      const text = pending.join('')
      set([])
      return text
    },
  }
}

/** Typed text for display: control characters become visible. */
export const visibleText = (text: string) =>
  text.replaceAll(/[\0-\x1f\x7f]/g, (character) =>
    character === '\r' || character === '\n'
      ? '⏎\n'
      : character === '\t'
        ? '⇥'
        : `^${String.fromCharCode(character.charCodeAt(0) ^ 0x40)}`,
  )

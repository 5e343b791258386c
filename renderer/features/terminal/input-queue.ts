/** What travels to the terminal in one call. */
export interface TerminalMessage {
  input: string
  columns?: number
  rows?: number
}

export interface TerminalSize {
  columns: number
  rows: number
}

/** Well below the size that a hub message may have, also when every character takes four bytes and is escaped. */
const maxCharacters = 4_096

/** How many code units of `text` fit, without cutting a character in two. */
function cutLength(text: string) {
  if (text.length <= maxCharacters) {
    return text.length
  }
  const last = text.charCodeAt(maxCharacters - 1)
  return last >= 0xd800 && last < 0xdc00 ? maxCharacters - 1 : maxCharacters
}

/** Keystrokes may be joined and split at will; a line goes as it is. */
interface Waiting {
  text: string
  isLine: boolean
}

/**
 * Sends input one call at a time, so that calls cannot overtake each other; keystrokes that come meanwhile are joined
 * into the next call. A call that fails stops the queue until `release`: whether it arrived is unknown, so it is not
 * repeated, and what came after it is kept.
 */
export function createInputQueue(
  send: (message: TerminalMessage) => Promise<void>,
  onFailure: (error: unknown) => void,
) {
  let waiting: Waiting[] = []
  let size: TerminalSize | undefined
  let isSending = false
  let isHeld = true

  function take() {
    const first = waiting[0]
    if (!first) {
      return ''
    }
    const length = first.isLine ? first.text.length : cutLength(first.text)
    const text = first.text.slice(0, length)
    first.text = first.text.slice(length)
    if (first.text === '') {
      waiting.shift()
    }
    return text
  }

  async function start() {
    if (isSending) {
      return
    }
    isSending = true
    while (!isHeld && (waiting.length > 0 || size)) {
      const message = { input: take(), ...size }
      size = undefined
      try {
        await send(message)
      } catch (error) {
        isHeld = true
        onFailure(error)
      }
    }
    isSending = false
  }

  return {
    type(text: string) {
      const last = waiting.at(-1)
      if (last && !last.isLine) {
        last.text += text
      } else {
        waiting.push({ text, isLine: false })
      }
      void start()
    },
    line(text: string) {
      waiting.push({ text, isLine: true })
      void start()
    },
    resize(next: TerminalSize) {
      size = next
      void start()
    },
    /** Keeps everything back until `release`. */
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      void start()
    },
    /** Hands back what was not sent, as it was typed. */
    takeBack() {
      const text = waiting.map((each) => (each.isLine ? `${each.text}\r` : each.text)).join('')
      waiting = []
      return text
    },
    /** Forgets what was not sent. */
    clear() {
      waiting = []
      size = undefined
    },
  }
}

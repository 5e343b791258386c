/** Input and size for one call to the terminal. */
export interface TerminalMessage {
  input: string
  columns?: number
  rows?: number
}

export interface TerminalSize {
  columns: number
  rows: number
}

/** Below the size limit of a hub message, even if every character takes four bytes and is escaped. */
const maxCharacters = 4_096

/** Number of code units to send, without splitting a character. */
function cutLength(text: string) {
  if (text.length <= maxCharacters) {
    return text.length
  }
  const last = text.charCodeAt(maxCharacters - 1)
  return last >= 0xd800 && last < 0xdc00 ? maxCharacters - 1 : maxCharacters
}

/** Keystrokes may be joined and split; a line is sent as a whole. */
interface Waiting {
  text: string
  isLine: boolean
}

/**
 * Sends input with one call at a time, so that calls stay in order; keystrokes typed meanwhile are joined into the next
 * call. A failed call stops the queue until `release`: the call may have arrived, so it is not repeated; later input
 * stays in the queue.
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
    /** Stops sending until `release`. */
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      void start()
    },
    /** Returns and clears the unsent input, as it was typed. */
    takeBack() {
      const text = waiting.map((each) => (each.isLine ? `${each.text}\r` : each.text)).join('')
      waiting = []
      return text
    },
    /** Clears the unsent input. */
    clear() {
      waiting = []
      size = undefined
    },
  }
}

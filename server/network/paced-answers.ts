/**
 * Minimum interval between two identical responses: each is multicast, so one response serves all queries meanwhile.
 */
const paceMs = 250
/** Limit of questions in one packet; a real query has one or two. */
const mostQuestions = 16

interface Answers {
  answers: readonly { type: string; name: string }[]
}
type OnSent = (error: Error | null) => void

/** The responding part of the library's mDNS socket. */
export interface AnsweringSocket extends NodeJS.EventEmitter {
  respond(answers: Answers, onSent?: OnSent): void
}

/**
 * Throttles a socket's responses. The library responds to every question of every packet with a multicast packet: one
 * malicious packet could cause thousands, and block the event loop. Returns a function that removes the throttle.
 */
export function paceAnswers(socket: AnsweringSocket): () => void {
  const respond = socket.respond.bind(socket)
  const listeners = socket.listeners('query')
  /** Recent responses, each with the response to repeat after the interval. */
  const recent = new Map<string, { again: (() => void) | undefined; timer: NodeJS.Timeout }>()
  const say = (key: string, send: () => void) => {
    const over = () => {
      const again = recent.get(key)?.again
      recent.delete(key)
      if (again) {
        say(key, again)
      }
    }
    recent.set(key, { again: undefined, timer: setTimeout(over, paceMs) })
    send()
  }
  let isAsked = false
  socket.respond = (answers, onSent) => {
    const send = () => respond(answers, onSent)
    if (!isAsked) {
      send()
      return
    }
    const key = answers.answers.map(({ type, name }) => `${type} ${name}`).join()
    const last = recent.get(key)
    if (last) {
      last.again = send
    } else {
      say(key, send)
    }
  }
  socket.removeAllListeners('query')
  socket.on('query', (query: { questions: unknown[] }) => {
    isAsked = true
    try {
      const asked = { ...query, questions: query.questions.slice(0, mostQuestions) }
      listeners.forEach((listener) => listener.call(socket, asked))
    } finally {
      isAsked = false
    }
  })
  return () => {
    recent.forEach(({ timer }) => clearTimeout(timer))
    recent.clear()
  }
}

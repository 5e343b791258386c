/** Between two of the same answer: each goes to the whole network, so one of them is for all who asked meanwhile. */
const paceMs = 250
/** In one packet; who looks for something asks for one or two things. */
const mostQuestions = 16

interface Answers {
  answers: readonly { type: string; name: string }[]
}
type OnSent = (error: Error | null) => void

/** The part of the library's socket for mDNS that answers. */
export interface AnsweringSocket extends NodeJS.EventEmitter {
  respond(answers: Answers, onSent?: OnSent): void
}

/**
 * Lets a socket answer as often as a network needs, and no more. The library answers every question of every packet by a
 * packet to all: one of a stranger would become thousands, and keep this process from everything else. Returns what ends it.
 */
export function paceAnswers(socket: AnsweringSocket): () => void {
  const respond = socket.respond.bind(socket)
  const listeners = socket.listeners('query')
  /** Answers of the last moment, with what is to be said again when it is over. */
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

export interface SearchWords {
  text: string
  isCase: boolean
  /** `text` is a regular expression. */
  isPattern: boolean
}

/** What the worker gets: lines from an index on, or words to look for in all of them. */
export type SearchRequest =
  { type: 'lines'; from: number; lines: readonly string[] } | ({ type: 'search'; id: number } & SearchWords)

/** What the worker says first: it has all lines, and looks through them from now on. */
export interface SearchBegun {
  id: number
  hasBegun: true
}

export interface SearchAnswer {
  id: number
  /** It is no regular expression. */
  isWrong: boolean
  /** Line, start and end of each. */
  matches: Int32Array
  /** All that there are, also those that are not in `matches`. */
  total: number
}

export type SearchResult = SearchAnswer | 'slow'

/** A pattern that takes longer, once the worker has begun, is one that never comes to an end. */
const patienceMs = 3_000
/** Lines that are handed over at once: more would be felt. */
const sliceLines = 20_000

/** Searches lines in a worker, which is given up when a pattern takes too long: the page goes on in any case. */
export function createLogSearch() {
  let worker: Worker | undefined
  let lines: readonly string[] = []
  /** How many of them the worker has. */
  let handed = 0
  let lastId = 0
  let cancel: () => void = () => {}

  const drop = () => {
    worker?.terminate()
    worker = undefined
    handed = 0
  }
  const post = (request: SearchRequest) => worker?.postMessage(request)

  return {
    /** The lines from now on; those before `from` are as they were. */
    setLines(next: readonly string[], from: number) {
      lines = next
      handed = Math.min(handed, from)
    },
    /** Undefined when another search has taken its place. */
    search(words: SearchWords): Promise<SearchResult | undefined> {
      cancel()
      worker ??= new Worker(new URL('./log-search-worker.ts', import.meta.url), { type: 'module' })
      const current = worker
      for (; handed < lines.length; handed += sliceLines) {
        post({ type: 'lines', from: handed, lines: lines.slice(handed, handed + sliceLines) })
      }
      handed = lines.length
      const id = ++lastId
      return new Promise((resolve) => {
        const finish = (result: SearchResult | undefined) => {
          clearTimeout(timer)
          current.removeEventListener('message', handleAnswer)
          cancel = () => {}
          resolve(result)
        }
        let timer: ReturnType<typeof setTimeout> | undefined
        const handleAnswer = ({ data }: MessageEvent<SearchBegun | SearchAnswer>) => {
          if (data.id !== id) {
            return
          }
          if ('matches' in data) {
            finish(data)
            return
          }
          // What a busy machine needs to load the worker and to hand it a large file says nothing about the pattern.
          timer = setTimeout(() => {
            drop()
            finish('slow')
          }, patienceMs)
        }
        cancel = () => {
          // It may never answer: the next search gets a worker that does.
          drop()
          finish(undefined)
        }
        current.addEventListener('message', handleAnswer)
        post({ type: 'search', id, ...words })
      })
    },
    stop() {
      cancel()
      drop()
    },
  }
}

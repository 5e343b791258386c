export interface SearchWords {
  text: string
  isCase: boolean
  /** `text` is a regular expression. */
  isPattern: boolean
}

/** Messages to the worker: replaces the lines from an index on, or searches all lines. */
export type SearchRequest =
  | { type: 'lines'; from: number; lines: readonly string[] }
  | ({ type: 'search'; id: number } & SearchWords)

/** First answer of the worker: it has loaded all lines and starts the search. */
export interface SearchBegun {
  id: number
  hasBegun: true
}

export interface SearchAnswer {
  id: number
  /** Whether the regular expression is invalid. */
  isWrong: boolean
  /** Line, start and end of each match. */
  matches: Int32Array
  /** Number of all matches, including those not in `matches`. */
  total: number
}

export type SearchResult = SearchAnswer | 'slow'

/** Limit for a search once the worker has started it, against patterns that never finish. */
const patienceMs = 3_000
/** Lines per message; larger messages would block the page noticeably. */
const sliceLines = 20_000

/** Searches lines in a worker, which is terminated when a pattern takes too long, so the page stays responsive. */
export function createLogSearch() {
  let worker: Worker | undefined
  let lines: readonly string[] = []
  /** Number of lines that the worker has. */
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
    /** Sets the lines; those before `from` are unchanged. */
    setLines(next: readonly string[], from: number) {
      lines = next
      handed = Math.min(handed, from)
    },
    /** Resolves to undefined when another search replaces this one. */
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
          // The timeout starts here: loading the worker and copying a large file may take long on a busy machine.
          timer = setTimeout(() => {
            drop()
            finish('slow')
          }, patienceMs)
        }
        cancel = () => {
          // The worker may be stuck, so the next search gets a new one.
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

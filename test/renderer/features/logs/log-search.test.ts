import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLogSearch } from '../../../../renderer/features/logs/log-search.ts'

/** Worker that answers on request. */
class SilentWorker extends EventTarget {
  static started: SilentWorker[] = []
  isEnded = false
  readonly asked: { type: string; id?: number }[] = []

  constructor() {
    super()
    SilentWorker.started.push(this)
  }

  postMessage(request: { type: string; id?: number }) {
    this.asked.push(request)
  }

  terminate() {
    this.isEnded = true
  }

  say(data: object) {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}

const words = { text: 'error', isCase: false, isPattern: false }
const found = { isWrong: false, matches: Int32Array.of(0, 0, 5), total: 1 }

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('Worker', SilentWorker)
  SilentWorker.started = []
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('a search in a log', () => {
  test('waits for a worker that is not there yet, however long a busy machine needs to load it', async () => {
    const search = createLogSearch()
    search.setLines(['error'], 0)
    const outcome = search.search(words)
    const [worker] = SilentWorker.started
    vi.advanceTimersByTime(60_000)
    expect(worker!.isEnded).toBe(false)
    const { id } = worker!.asked.find(({ type }) => type === 'search')!
    worker!.say({ id, hasBegun: true })
    worker!.say({ id, ...found })
    expect(await outcome).toEqual({ id, ...found })
    vi.advanceTimersByTime(60_000)
    expect(worker!.isEnded).toBe(false)
  })

  test('is aborted when it does not finish, and the next search gets all lines again', async () => {
    const search = createLogSearch()
    search.setLines(['error'], 0)
    const outcome = search.search(words)
    const [worker] = SilentWorker.started
    worker!.say({ id: 1, hasBegun: true })
    vi.advanceTimersByTime(3_000)
    expect(await outcome).toBe('slow')
    expect(worker!.isEnded).toBe(true)
    void search.search(words)
    expect(SilentWorker.started[1]!.asked).toMatchObject([{ type: 'lines', from: 0, lines: ['error'] }, { id: 2 }])
  })
})

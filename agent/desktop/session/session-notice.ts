import type { Desktop, Notice } from '../../platform/desktop/desktop.ts'
import { strings } from '../strings.ts'

/** Viewer named in the notice to the person at the device. */
interface Viewer {
  desktop: Desktop
  name: string
  sessionId: string
  canInteract: boolean
  /** Whether the person is told of this viewer; of one that records or hears, the person always is. */
  isShown: boolean
  isRecorded: boolean
  isHeard?: boolean
  end: () => void
}

const maxNames = 4

const namesOf = (viewers: readonly Viewer[]) => {
  const names = [...new Set(viewers.map(({ name }) => name))]
  return names.length > maxNames
    ? [...names.slice(0, maxNames - 1), strings.others(names.length - maxNames + 1)]
    : names
}

/** Single notice of a desktop: names the viewers of all sessions, and ends all sessions together. */
export class SessionNotice {
  #viewers: readonly Viewer[] = []
  #shown: Notice | undefined
  /** Recorded sessions that have not connected yet: the message about them takes another way than they do. */
  readonly #early = new Set<string>()

  /** Returns a function that removes the viewer from the notice. */
  add(viewer: Viewer): () => void {
    const isRecorded = this.#early.delete(viewer.sessionId) || viewer.isRecorded
    this.#change([...this.#viewers, { ...viewer, isRecorded }])
    return () => this.#change(this.#viewers.filter(({ end }) => end !== viewer.end))
  }

  /** Call when a session has ended, also for one that never connected. */
  forget(sessionId: string): void {
    this.#early.delete(sessionId)
  }

  setRecorded(sessionId: string, isRecorded: boolean): void {
    if (isRecorded && !this.#viewers.some((viewer) => viewer.sessionId === sessionId)) {
      this.#early.add(sessionId)
      return
    }
    this.#early.delete(sessionId)
    this.#change(this.#viewers.map((viewer) => (viewer.sessionId === sessionId ? { ...viewer, isRecorded } : viewer)))
  }

  /** Call when the viewer of a session begins or ceases to hear the device. */
  setHeard(sessionId: string, isHeard: boolean): void {
    this.#change(this.#viewers.map((viewer) => (viewer.sessionId === sessionId ? { ...viewer, isHeard } : viewer)))
  }

  /** Call when the displays have changed: each one shows the notice. */
  showAgain(): void {
    if (this.#shown) {
      this.#change(this.#viewers)
    }
  }

  #change(all: readonly Viewer[]) {
    this.#viewers = all
    this.#shown?.close()
    const viewers = all.filter(({ isShown, isRecorded, isHeard }) => isShown || isRecorded || isHeard)
    const [first] = viewers
    const text = strings.noticeText(
      namesOf(viewers.filter(({ canInteract }) => canInteract)),
      namesOf(viewers.filter(({ canInteract }) => !canInteract)),
      viewers.some(({ isHeard }) => isHeard),
      viewers.some(({ isRecorded }) => isRecorded),
    )
    const label = viewers.length > 1 ? strings.endAll : strings.endSession
    this.#shown = first?.desktop.showNotice(text, label, () => viewers.forEach(({ end }) => end()))
  }
}

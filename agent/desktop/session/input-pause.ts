import { bestEffort } from '../../base/best-effort.ts'
import { wait, type Clock } from '../../base/clock.ts'
import { UserError } from '../../base/errors.ts'

interface Viewer {
  /** Releases the keys and buttons that the viewer holds down. */
  release: () => void
  tell: (message: string) => void
}

/** Time limit for text that a viewer has sent before the question. */
const typingMs = 10_000
const reason = 'The person at the device is answering a question. Your pointer and keys work again afterwards.'

/**
 * Holds back the input of all viewers of a desktop while its person answers a question: a viewer would answer in place
 * of the person (T05).
 */
export class InputPause {
  #questions = 0
  readonly #viewers = new Set<Viewer>()
  readonly #typing = new Set<Promise<unknown>>()

  get isOn(): boolean {
    return this.#questions > 0
  }

  /** Returns a function that removes the viewer. */
  add(viewer: Viewer): () => void {
    this.#viewers.add(viewer)
    return () => this.#viewers.delete(viewer)
  }

  /** Call with the end of each text that is being typed. */
  follow(typing: Promise<unknown>): void {
    const ended = typing.catch(() => {}).finally(() => this.#typing.delete(ended))
    this.#typing.add(ended)
  }

  /** Resolves when no input arrives any more, with a function that ends the pause. */
  async begin(clock: Clock): Promise<() => void> {
    this.#questions++
    this.#viewers.forEach(({ release, tell }) => {
      // A desktop that has just closed holds no keys.
      bestEffort(release)
      tell(reason)
    })
    const late = wait(clock, typingMs).then(() => false)
    if (!(await Promise.race([Promise.all(this.#typing).then(() => true), late]))) {
      this.#questions--
      throw new UserError('A viewer is typing a long text at this desktop. Try again in a minute.')
    }
    return () => {
      this.#questions--
    }
  }
}

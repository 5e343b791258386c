import { Slots } from '../engines/outgoing/slots.ts'

interface Limits {
  /** Maximum number of mails that are sent at once, in all and of one sender; others wait. */
  atOnce: { total: number; share: number }
  /** Maximum number of mails that are sent or wait; more are dropped as abuse. */
  queued: { total: number; share: number }
}

/** Mails that are sent in the background. Each sender has a share, so that nobody uses up the places of others (T44). */
export class MailQueue {
  readonly #queued: Limits['queued']
  readonly #slots: Slots
  readonly #bySender = new Map<string, Set<Promise<void>>>()
  #size = 0

  constructor({ atOnce, queued }: Limits) {
    this.#slots = new Slots(atOnce)
    this.#queued = queued
  }

  get size(): number {
    return this.#size
  }

  /** Sends a mail when its sender has a free slot. Returns false if too many are queued. */
  add(sender: string, deliver: () => Promise<void>): boolean {
    const ofSender = this.#bySender.get(sender) ?? new Set<Promise<void>>()
    if (ofSender.size >= this.#queued.share || this.#size >= this.#queued.total) {
      return false
    }
    this.#size += 1
    const work = this.#slots.run(sender, deliver).finally(() => {
      this.#size -= 1
      ofSender.delete(work)
      if (ofSender.size === 0) {
        this.#bySender.delete(sender)
      }
    })
    this.#bySender.set(sender, ofSender.add(work))
    return true
  }

  /** Waits for all mails that are queued now. */
  async finished(): Promise<void> {
    await Promise.all([...this.#bySender.values()].flatMap((works) => [...works]))
  }
}

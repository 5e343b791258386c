const sliceMs = 100
const slices = 10

/** Bytes of the last second, as megabits per second. */
export class Throughput {
  readonly #bytes = Array.from({ length: slices }, () => 0)
  #newest = 0

  add(nowMs: number, bytes: number): void {
    this.#forget(nowMs)
    const at = this.#newest % slices
    this.#bytes[at] = (this.#bytes[at] ?? 0) + bytes
  }

  mbps(nowMs: number): number {
    this.#forget(nowMs)
    return (this.#bytes.reduce((sum, bytes) => sum + bytes, 0) * 8) / (slices * sliceMs * 1000)
  }

  #forget(nowMs: number) {
    const now = Math.floor(nowMs / sliceMs)
    for (let slice = Math.max(this.#newest + 1, now - slices + 1); slice <= now; slice++) {
      this.#bytes[slice % slices] = 0
    }
    this.#newest = Math.max(this.#newest, now)
  }
}

import { Throughput } from '../../../shared/remote-control/throughput.ts'
import type { StageMetrics } from './stage-messages.ts'

/** Figures of the last second. */
export class StageFigures {
  readonly #received = new Throughput()
  readonly #drawnAt: number[] = []
  /** Last values that the device reported. */
  device: Pick<StageMetrics, 'captureMode' | 'quality'> = { captureMode: '', quality: undefined }

  received(now: number, bytes: number): void {
    this.#received.add(now, bytes)
  }

  drawn(now: number, frames: number): void {
    this.#drawnAt.push(...Array.from({ length: frames }, () => now))
  }

  at(now: number): Omit<StageMetrics, 'droppedFrames' | 'latencyMs'> {
    while ((this.#drawnAt[0] ?? now) < now - 1000) {
      this.#drawnAt.shift()
    }
    return { framesPerSecond: this.#drawnAt.length, mbps: this.#received.mbps(now), ...this.device }
  }
}

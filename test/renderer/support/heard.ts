import type { Page } from '@playwright/test'

interface Heard {
  analyser?: AnalyserNode
  /** Parts of sound that were played. */
  parts?: number
}

/** Lets the test hear what the page plays. */
export const eavesdrop = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const connect = AudioNode.prototype.connect as (this: AudioNode, to: AudioNode) => AudioNode
    const heard = globalThis as Heard
    AudioNode.prototype.connect = function (this: AudioNode, to: AudioNode) {
      if (this instanceof AudioBufferSourceNode && to instanceof AudioDestinationNode) {
        if (heard.analyser?.context !== this.context) {
          heard.analyser = new AnalyserNode(this.context, { fftSize: 8192, smoothingTimeConstant: 0 })
        }
        heard.parts = (heard.parts ?? 0) + 1
        connect.call(this, heard.analyser)
      }
      return connect.call(this, to)
    } as typeof AudioNode.prototype.connect
  })

/** Loudest frequency that the page plays, in Hz; 0 in silence. */
export const loudest = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { analyser } = globalThis as Heard
    if (!analyser) {
      return 0
    }
    const levels = new Float32Array(analyser.frequencyBinCount)
    analyser.getFloatFrequencyData(levels)
    const best = levels.reduce((most, level, index) => (level > levels[most]! ? index : most), 0)
    return levels[best]! > -60 ? (best * analyser.context.sampleRate) / analyser.fftSize : 0
  })

/** Number of parts of sound that the page has played. */
export const partsOf = (page: Page): Promise<number> => page.evaluate(() => (globalThis as Heard).parts ?? 0)

import type { Page } from '@playwright/test'
import { stamp } from './scenes.ts'

const channelName = 'farhand-bench'
/** Frame on the canvas of the page. */
export interface Drawn {
  step: number
  at: number
}

/** Newest figures of the page about its session. */
export interface PageMetrics {
  quality?: number
  mbps?: number
}

/**
 * Probe injected before the worker's own code: reads the stamp of the scene after each drawing that touched the stamp,
 * and posts its number with the time.
 */
const probe = `{
  const told = new BroadcastChannel('${channelName}')
  const { prototype } = OffscreenCanvasRenderingContext2D
  let isDue = false
  const probed = (draw) => function (...what) {
    draw.apply(this, what)
    if (!isDue && !(what[0] instanceof OffscreenCanvas)) {
      isDue = true
      const context = this
      // Runs after the other regions of the frame.
      queueMicrotask(() => {
        isDue = false
        const { data } = context.getImageData(0, 0, ${stamp.width}, ${stamp.height})
        let step = 0
        for (let bit = 0; bit < 8; bit++) {
          step |= data[(4 * ${stamp.width} + bit * 8 + 4) * 4 + 1] < 128 ? 1 << bit : 0
        }
        told.postMessage({ step, at: performance.timeOrigin + performance.now() })
      })
    }
  }
  prototype.drawImage = probed(prototype.drawImage)
  prototype.putImageData = probed(prototype.putImageData)
}
`

/** Takes the decoder away from workers, so that devices send images only. */
const imagesOnly = 'delete globalThis.VideoDecoder\n'

/** Page code that returns the probe's data in batches, because a call per frame would distort the measurement. */
const probedWorkers = (ofWorkers: string) => `{
  const Plain = Worker
  let metrics = {}
  // Installs the probe before the worker receives any message.
  window.Worker = class extends Plain {
    constructor(url, options) {
      const source = 'import ' + JSON.stringify(new URL(url, location.href).href) + '\\n' + ${JSON.stringify(ofWorkers)}
      super(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), options)
      this.addEventListener('message', ({ data }) => {
        if (data.is === 'metrics') {
          metrics = data.metrics
        }
      })
    }
  }
  let waiting = []
  new BroadcastChannel('${channelName}').addEventListener('message', ({ data }) => waiting.push(data))
  setInterval(() => {
    window.tellDrawn?.(waiting, metrics)
    waiting = []
  }, 500)
}`

/** Measures what the workers of a page draw. Call before the page loads. */
export async function probeWorkers(
  page: Page,
  { decodesVideo }: { decodesVideo: boolean },
  onDrawn: (drawn: Drawn[], metrics: PageMetrics) => void,
) {
  await page.addInitScript({ content: probedWorkers(decodesVideo ? probe : imagesOnly + probe) })
  await page.exposeFunction('tellDrawn', onDrawn)
}

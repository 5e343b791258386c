import type { Page } from '@playwright/test'
import { stamp } from './scenes.ts'

const channelName = 'farhand-bench'

/** Frame on the canvas of the page. */
interface Drawn {
  step: number
  at: number
}

/** Newest figures of the page about its session. */
interface PageMetrics {
  quality?: number
  mbps?: number
}

/**
 * Probe injected before the worker's own code: reads the stamp of the scene after each drawing that touched the stamp,
 * and posts its number with the time.
 */
const probe = `{
  const channel = new BroadcastChannel('${channelName}')
  const { prototype } = OffscreenCanvasRenderingContext2D
  let isDue = false
  const probed = (draw) => function (...what) {
    draw.apply(this, what)
    if (!isDue && !(what[0] instanceof OffscreenCanvas)) {
      isDue = true
      // Runs after the other regions of the frame.
      queueMicrotask(() => {
        isDue = false
        const { data } = this.getImageData(0, 0, ${stamp.width}, ${stamp.height})
        let step = 0
        for (let bit = 0; bit < 8; bit++) {
          step |= data[(4 * ${stamp.width} + bit * 8 + 4) * 4 + 1] < 128 ? 1 << bit : 0
        }
        channel.postMessage({ step, at: Date.now() })
      })
    }
  }
  prototype.drawImage = probed(prototype.drawImage)
  prototype.putImageData = probed(prototype.putImageData)
}
`

/** Takes the decoder away from workers, so that devices send images only. */
const imagesOnly = 'delete globalThis.VideoDecoder\n'

/**
 * Page code that collects what its workers draw, installs the probe before a worker receives any message, and resolves
 * `pictureSeen` with the milliseconds from the last click to the first picture that the page shows after it.
 */
const probedWorkers = (ofWorkers: string) => `
window.bench = { drawn: [], metrics: {} }
window.Worker = class extends Worker {
  constructor(url, options) {
    const source = 'import ' + JSON.stringify(new URL(url, location.href).href) + '\\n' + ${JSON.stringify(ofWorkers)}
    super(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), options)
    this.addEventListener('message', ({ data }) => {
      bench.metrics = data.find(({ is }) => is === 'metrics')?.metrics ?? bench.metrics
    })
  }
}
const isSeen = () => {
  const screen = document.querySelector('[data-testid="remote-screen"]')
  return screen?.checkVisibility({ visibilityProperty: true }) && screen.closest('[data-away]') === null
}
const channel = new BroadcastChannel('${channelName}')
addEventListener('click', () => {
  const clickedAt = Date.now()
  window.pictureSeen = new Promise((resolve, reject) => {
    const look = () => (isSeen() ? resolve(Date.now() - clickedAt) : requestAnimationFrame(look))
    channel.addEventListener('message', look, { once: true })
    setTimeout(() => reject(new Error('The click showed no picture in 60 s.')), 60_000)
  })
  window.pictureSeen.catch(() => {})
}, true)
channel.addEventListener('message', ({ data }) => bench.drawn.push(data))`

/** Measures what the workers of a page draw. Call before the page loads. */
export const probeWorkers = (page: Page, { decodesVideo }: { decodesVideo: boolean }) =>
  page.addInitScript({ content: probedWorkers(decodesVideo ? probe : imagesOnly + probe) })

/** Takes the frames drawn since the last call, with the newest figures. */
export const takeDrawn = (page: Page) =>
  page.evaluate<{ drawn: Drawn[]; metrics: PageMetrics }>('({ ...bench, drawn: bench.drawn.splice(0) })')

/** Milliseconds from the click to the first picture, without polling by this program, which would take processor time. */
export const untilPictureSeen = (page: Page) => page.evaluate<number>('pictureSeen')

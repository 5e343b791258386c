import { AnnotationMode, getDocument, PDFWorker, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** Time for opening a document, and for drawing a page, in ms. */
const longestMs = 20_000
/** Pixels of a picture in a document, and of a drawn page: a few bytes can stand for more than a tab has memory for (T35). */
const mostPicturePixels = 16_000_000
const mostPagePixels = 8_000_000

const late = () => new Error('late')

/** Rejects when the work takes too long. */
async function inTime<T>(work: Promise<T>, giveUp: () => void): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    giveUp()
    reject(late())
  }, longestMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Open PDF of a device. Its pages are pictures: scripts, forms, links and attachments are left out (T18). */
export class PdfDocument {
  readonly #port = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' })
  readonly #worker = PDFWorker.create({ port: this.#port })
  #document: PDFDocumentProxy | undefined

  /** Opens the document, and returns its number of pages. */
  async open(bytes: Uint8Array): Promise<number> {
    const loading = getDocument({
      // The worker takes the memory of what it gets.
      data: bytes.slice(),
      worker: this.#worker,
      maxImageSize: mostPicturePixels,
      canvasMaxAreaInBytes: 4 * mostPagePixels,
      isImageDecoderSupported: false,
      // The policy of the page forbids WebAssembly, and workers may not fetch anything for a document.
      useWasm: false,
      useWorkerFetch: false,
      enableXfa: false,
    })
    this.#document = await inTime(loading.promise, () => this.close())
    return this.#document.numPages
  }

  /** Draws a page at most as wide as `width`, in CSS pixels. */
  async draw(number: number, canvas: HTMLCanvasElement, width: number): Promise<void> {
    const page = await inTime(this.#document!.getPage(number), () => this.close())
    const natural = page.getViewport({ scale: 1 })
    const ratio = width / natural.width
    const sharp = ratio * Math.min(2, devicePixelRatio)
    const area = natural.width * natural.height * sharp * sharp
    const viewport = page.getViewport({
      scale: area > mostPagePixels ? sharp * Math.sqrt(mostPagePixels / area) : sharp,
    })
    canvas.width = Math.max(1, Math.floor(viewport.width))
    canvas.height = Math.max(1, Math.floor(viewport.height))
    const drawing = page.render({ canvas, viewport, annotationMode: AnnotationMode.DISABLE })
    await inTime(drawing.promise, () => this.close())
    page.cleanup()
  }

  /** Ends the worker, whatever it does. */
  close(): void {
    this.#worker.destroy()
    this.#port.terminate()
  }
}

/** Whether opening failed because the document needs a password. */
export const needsPassword = (error: unknown): boolean => error instanceof Error && error.name === 'PasswordException'

import type { VideoFrameDto } from '../../../shared/remote-control/messages.ts'

type Areas = VideoFrameDto['areas']

/** Whether a graphics processor draws. */
function isAccelerated(): boolean {
  try {
    const context = new OffscreenCanvas(1, 1).getContext('webgl', { failIfMajorPerformanceCaveat: true })
    const details = context?.getExtension('WEBGL_debug_renderer_info')
    const name: unknown = details && context?.getParameter(details.UNMASKED_RENDERER_WEBGL)
    context?.getExtension('WEBGL_lose_context')?.loseContext()
    // Chromium's own renderer on the processor does not count as a caveat in all of its programs.
    return context !== null && !/swiftshader|llvmpipe/i.test(String(name))
  } catch {
    return false
  }
}

/** Decoded picture of a video, until it is drawn. */
export interface VideoPicture {
  /** Draws the areas, in pixels of the picture. */
  draw(context: OffscreenCanvasRenderingContext2D): void
  close(): void
}

/** Draws once, through a mask: browsers convert the colors of the whole picture each time. */
function masked(frame: VideoFrame, areas: Areas): VideoPicture {
  return {
    draw(context) {
      context.save()
      context.beginPath()
      areas.forEach(({ x, y, width, height }) => context.rect(x, y, width, height))
      context.clip()
      context.drawImage(frame, 0, 0)
      context.restore()
    },
    close: () => frame.close(),
  }
}

/** Smallest part of the frame with all areas, at even places as its colors need it; undefined if no area is inside. */
function partOf({ codedWidth, codedHeight }: VideoFrame, areas: Areas) {
  const least = (places: number[]) => Math.max(0, Math.floor(Math.min(...places) / 2) * 2)
  const most = (places: number[], limit: number) => Math.min(limit, Math.ceil(Math.max(...places) / 2) * 2)
  const [x, y] = [least(areas.map((area) => area.x)), least(areas.map((area) => area.y))]
  const width =
    most(
      areas.map((area) => area.x + area.width),
      codedWidth,
    ) - x
  const height =
    most(
      areas.map((area) => area.y + area.height),
      codedHeight,
    ) - y
  return width > 0 && height > 0 ? { x, y, width, height } : undefined
}

/**
 * Makes frames of a decoder drawable. Without a graphics processor the colors are converted into memory that is used again:
 * Chromium keeps each frame that is drawn in a cache of 512 MB, and takes a third more time.
 */
export class VideoPictures {
  #copies: boolean | undefined
  #free: ImageData | undefined

  /** Closes the frame, at the latest with the picture. */
  async take(frame: VideoFrame, areas: Areas): Promise<VideoPicture> {
    this.#copies ??= !isAccelerated()
    const part = partOf(frame, areas)
    if (!this.#copies || !part) {
      return masked(frame, areas)
    }
    const { x, y, width, height } = part
    const free = this.#free
    this.#free = undefined
    const image = free?.width === width && free.height === height ? free : new ImageData(width, height)
    try {
      await frame.copyTo(image.data, { rect: part, format: 'RGBA' })
    } catch {
      // The browser converts no colors.
      this.#copies = false
      return masked(frame, areas)
    }
    frame.close()
    return {
      draw: (context) =>
        areas.forEach((area) => context.putImageData(image, x, y, area.x - x, area.y - y, area.width, area.height)),
      close: () => {
        this.#free = image
      },
    }
  }
}

import { drawing, escapeXml, pixelsOf } from './drawing.ts'

/** Pixels of the notice that is on the screen during a session. */
export interface NoticePicture {
  width: number
  height: number
  /** Rows of blue, green, red and one unused byte, without gaps. */
  pixels: Buffer
  /** Left edge of the area where a click ends the session. */
  endX: number
}

const height = 36
const padding = 16
const endWidth = 120
const maxTextWidth = 640
const fontSize = 14
const font = `font-family="system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif" font-size="${fontSize}"`

const svg = (width: number, content: string) => drawing(width, height, content)

let last: { key: string; picture: Promise<NoticePicture> } | undefined

/**
 * Renders a text, and the label that ends the sessions, with the fonts of this device. Keeps the last picture: other displays
 * and the next session of the same viewer show it, and rendering delays the first picture of that session.
 */
export function renderNotice(text: string, label: string): Promise<NoticePicture> {
  const key = JSON.stringify([text, label])
  if (last?.key !== key) {
    const mine = { key, picture: render(text, label) }
    last = mine
    mine.picture.catch(() => last === mine && (last = undefined))
  }
  return last.picture
}

async function render(text: string, label: string): Promise<NoticePicture> {
  // Loaded on first use: sharp brings its own renderer, which is needed only for a notice.
  const { default: sharp } = await import('sharp')
  const line = (x: number, fill: string, content: string) =>
    `<text x="${x}" y="${height / 2 + fontSize / 3}" fill="${fill}" ${font}>${escapeXml(content)}</text>`
  const measured = await sharp(svg(maxTextWidth, line(0, '#000', text)))
    .trim()
    .toBuffer({ resolveWithObject: true })
    .catch(() => ({ info: { width: 0 } }))
  const textWidth = Math.min(maxTextWidth, measured.info.width + 4)
  const endX = padding + textWidth + padding
  const width = endX + endWidth
  const end = `<text x="${endX + endWidth / 2}" y="${height / 2 + fontSize / 3}" fill="#fff" text-anchor="middle" ${font}>${escapeXml(label)}</text>`
  const pixels = await pixelsOf(
    svg(
      width,
      `<rect width="${width}" height="${height}" fill="#1f2937"/>${line(padding, '#f9fafb', text)}` +
        `<rect x="${endX}" width="${endWidth}" height="${height}" fill="#b91c1c"/>${end}`,
    ),
  )
  return { width, height, pixels, endX }
}

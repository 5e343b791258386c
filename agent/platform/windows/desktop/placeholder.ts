import type { Picture } from '../../desktop/desktop.ts'
import { drawing, escapeXml, pixelsOf } from '../../desktop/drawing.ts'

const lineLength = 60
const fontSize = 20
const lineHeight = 30
const font = `font-family="system-ui, 'Segoe UI', sans-serif" font-size="${fontSize}" fill="#f9fafb" text-anchor="middle"`

const inLines = (text: string): readonly string[] =>
  text.match(new RegExp(`.{1,${lineLength}}(?:\\s|$)`, 'g')) ?? [text]

/** Placeholder shown while the screen cannot be captured. */
export async function placeholder(
  text: string,
  { width, height }: { width: number; height: number },
): Promise<Picture> {
  const lines = inLines(text)
  const top = height / 2 - (lines.length * lineHeight) / 2 + fontSize
  const content = lines.map(
    (line, at) => `<text x="${width / 2}" y="${top + at * lineHeight}" ${font}>${escapeXml(line)}</text>`,
  )
  const background = `<rect width="${width}" height="${height}" fill="#1f2937"/>`
  const pixels = await pixelsOf(drawing(width, height, background + content.join('')))
  return { width, height, stride: width * 4, pixels }
}

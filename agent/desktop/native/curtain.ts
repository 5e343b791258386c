import type { Picture } from '../desktop.ts'
import { escapeXml } from '../notice-picture.ts'

const lineLength = 60
const fontSize = 20
const lineHeight = 30
const font = `font-family="system-ui, 'Segoe UI', sans-serif" font-size="${fontSize}" fill="#f9fafb" text-anchor="middle"`

const inLines = (text: string): readonly string[] =>
  text.match(new RegExp(`.{1,${lineLength}}(?:\\s|$)`, 'g')) ?? [text]

/** A sentence of ours in the place of a screen that cannot be read now. */
export async function curtain(text: string, { width, height }: { width: number; height: number }): Promise<Picture> {
  // It brings a renderer of its own, which is not needed while the screen is seen.
  const { default: sharp } = await import('sharp')
  const lines = inLines(text)
  const top = height / 2 - (lines.length * lineHeight) / 2 + fontSize
  const content = lines.map(
    (line, at) => `<text x="${width / 2}" y="${top + at * lineHeight}" ${font}>${escapeXml(line)}</text>`,
  )
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `<rect width="${width}" height="${height}" fill="#1f2937"/>${content.join('')}</svg>`
  const pixels = await sharp(Buffer.from(svg))
    .ensureAlpha()
    // Red and blue change places: pictures have blue first.
    .recomb([
      [0, 0, 1],
      [0, 1, 0],
      [1, 0, 0],
    ])
    .raw()
    .toBuffer()
  return { width, height, stride: width * 4, pixels }
}

/** Renders SVG drawings to pixels. */

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export const escapeXml = (text: string): string =>
  // XML does not allow control characters.
  text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/[&<>]/g, (character) => escapes[character] ?? '')

export const drawing = (width: number, height: number, content: string): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`)

/** Renders to blue, green, red and one unused byte, the pixel layout of display servers; rows without gaps. */
export async function pixelsOf(picture: Buffer): Promise<Buffer> {
  // Loaded on first use: sharp brings its own renderer, which most sessions never need.
  const { default: sharp } = await import('sharp')
  return sharp(picture)
    .ensureAlpha()
    .recomb([
      [0, 0, 1],
      [0, 1, 0],
      [1, 0, 0],
    ])
    .raw()
    .toBuffer()
}

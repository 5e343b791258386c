/** Pictures that the agent draws itself: a drawing as text (SVG), and its pixels. */

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Text as it may stand in a drawing. */
export const escapeXml = (text: string): string =>
  // Control characters have no place in XML at all.
  text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/[&<>]/g, (character) => escapes[character] ?? '')

export const drawing = (width: number, height: number, content: string): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`)

/** Blue, green, red and an unused byte, as display servers want them; row after row without gaps. */
export async function pixelsOf(picture: Buffer): Promise<Buffer> {
  // It brings a renderer of its own, which most sessions never need.
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

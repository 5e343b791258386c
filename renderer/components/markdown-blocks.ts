/** A small subset of Markdown: headings, lists, quotes, code, emphasis and links. Anything else is text. */

export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'list'; isOrdered: boolean; items: string[] }
  | { kind: 'quote' | 'paragraph'; lines: string[] }

export type Inline =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; parts: Inline[] }
  | { kind: 'link'; text: string; href: string }

const fence = '```'

function contentOf(line: string): { kind: Block['kind']; text: string; isOrdered?: boolean } {
  const heading = /^#{1,6} +(.+)$/.exec(line)
  if (heading) {
    return { kind: 'heading', text: heading[1]! }
  }
  const item = /^ {0,3}(?:([-*+])|\d{1,3}[.)]) +(.+)$/.exec(line)
  if (item) {
    return { kind: 'list', text: item[2]!, isOrdered: item[1] === undefined }
  }
  return line.startsWith('>') ? { kind: 'quote', text: line.slice(1).trim() } : { kind: 'paragraph', text: line }
}

/** Adds a line to the last block if both are of one kind, and begins another block otherwise. */
function addLine(blocks: Block[], line: string, isAfterBlank: boolean) {
  const { kind, text, isOrdered = false } = contentOf(line)
  const last = isAfterBlank ? undefined : blocks.at(-1)
  if (kind === 'heading') {
    blocks.push({ kind, text })
  } else if (kind === 'list') {
    if (last?.kind === 'list' && last.isOrdered === isOrdered) {
      last.items.push(text)
    } else {
      blocks.push({ kind, isOrdered, items: [text] })
    }
  } else if (kind === 'quote' || kind === 'paragraph') {
    if (last?.kind === kind) {
      last.lines.push(text)
    } else {
      blocks.push({ kind, lines: [text] })
    }
  }
}

export function parseBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let code: string[] | undefined
  let isAfterBlank = true
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith(fence)) {
      if (code) {
        blocks.push({ kind: 'code', text: code.join('\n') })
      }
      code = code ? undefined : []
      isAfterBlank = true
    } else if (code) {
      code.push(line)
    } else if (line.trim() === '') {
      isAfterBlank = true
    } else {
      addLine(blocks, line, isAfterBlank)
      isAfterBlank = false
    }
  }
  if (code) {
    blocks.push({ kind: 'code', text: code.join('\n') })
  }
  return blocks
}

const isSafe = (href: string) => /^(https?:\/\/|mailto:)[^\s<>"']+$/i.test(href)

/** Code, links, addresses, strong and emphasized text, each on one line. */
const marks =
  /`([^`]+)`|\[([^[\]]{1,200})\]\(([^()\s]{1,1000})\)|(https?:\/\/[^\s<>"'()[\]]+)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|(?<!\w)_([^_\s][^_]*)_(?!\w)/gi

export function parseInline(text: string): Inline[] {
  const parts: Inline[] = []
  let end = 0
  for (const match of text.matchAll(marks)) {
    const [whole, code, label, href, address, strong, starred, underlined] = match
    const emphasis = starred ?? underlined
    if (href !== undefined && !isSafe(href)) {
      continue
    }
    if (match.index > end) {
      parts.push({ kind: 'text', text: text.slice(end, match.index) })
    }
    end = match.index + whole.length
    if (code !== undefined) {
      parts.push({ kind: 'code', text: code })
    } else if (href !== undefined) {
      parts.push({ kind: 'link', text: label!, href })
    } else if (address !== undefined) {
      parts.push({ kind: 'link', text: address, href: address })
    } else if (strong !== undefined) {
      parts.push({ kind: 'strong', parts: parseInline(strong) })
    } else {
      parts.push({ kind: 'emphasis', parts: parseInline(emphasis!) })
    }
  }
  return end < text.length ? [...parts, { kind: 'text', text: text.slice(end) }] : parts
}

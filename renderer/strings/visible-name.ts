/** The first of the characters that agents make of bytes that are no text: U+EF80 to U+EFFF. */
const firstByte = 0xef00

/** Controls, what turns text around, what has no width, spaces at either end, and bytes that are no text. */
const hidden =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\uef80-\uefff]|^ +| +$|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

function picture(text: string): string {
  const code = text.charCodeAt(0)
  if (text.startsWith(' ')) {
    return '␠'.repeat(text.length)
  }
  if (code < 0x20) {
    return String.fromCharCode(0x2400 + code)
  }
  if (code >= 0xef80 && code <= 0xefff) {
    return `⟨${(code - firstByte).toString(16).toUpperCase()}⟩`
  }
  return code === 0x7f ? '␡' : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}

/** A name from a device as it can be shown: nothing in it is unseen or turns the text around it (T03, T18). */
export const visibleName = (name: string) => name.replace(hidden, picture)

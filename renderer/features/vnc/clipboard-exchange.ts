import type { ClipboardScope } from '../viewer-kit/clipboard-scope.ts'

/** More is not taken over, in either direction: it comes from a device, or is nothing that one pastes there. */
export const mostClipboard = 100_000

/** Puts what a device has copied onto the clipboard of this machine, unless it came from there. */
export async function takeText(
  scope: ClipboardScope,
  clipboard: Pick<Clipboard, 'writeText'>,
  text: string,
): Promise<void> {
  if ((await scope.incoming(text)) === 'share') {
    await clipboard.writeText(text)
  }
}

/** What goes to a device by itself; undefined where nothing does: what came from another device least of all. */
export async function textToGive(
  scope: ClipboardScope,
  clipboard: Pick<Clipboard, 'readText'>,
): Promise<string | undefined> {
  const text = await clipboard.readText()
  return text.length <= mostClipboard && (await scope.outgoing(text)) === 'share' ? text : undefined
}

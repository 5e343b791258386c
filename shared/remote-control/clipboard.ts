/** Maximum size of a text, a picture or pasted files that clipboards share, in both directions. */
export const maxClipboardBytes: number = 16 * 1024 * 1024

/** Continues a sentence about a text, a picture or files above the limit. */
export const clipboardLimitText = 'larger than the 16 MiB that clipboards share. Send it as a file'

/** Maximum number of copied files and folders that a clipboard passes on, not counting those inside folders. */
export const maxClipboardFiles = 500

/** Kinds of what is on a clipboard. */
export const clipboardKinds = ['text', 'picture', 'files'] as const
export type ClipboardKind = (typeof clipboardKinds)[number]

/**
 * Decides whether bytes may pass: undefined if they may. Otherwise the promise resolves when they may, and rejects when the
 * wait takes too long.
 */
export type Gate = () => Promise<void> | undefined

export const openGate: Gate = () => undefined

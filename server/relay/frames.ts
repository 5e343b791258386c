/** Frame types of RFC 6455. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export type ControlOpcode = typeof opcodes.close | typeof opcodes.ping | typeof opcodes.pong

export const maxControlBytes = 125

export const closeCodes = { normal: 1000, protocolError: 1002, tooBig: 1009 } as const

/** True for codes allowed in a close frame; the others are reserved for local use. */
export const isCloseCode = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)

/** The peer violated the protocol or a limit; `code` is the close code of its connection. */
export class FrameError extends Error {
  readonly code: number

  constructor(message: string, code: number = closeCodes.protocolError) {
    super(message)
    this.code = code
  }
}

export const invalidFrame = (what: string): FrameError => new FrameError(`Invalid WebSocket frame: ${what}`)

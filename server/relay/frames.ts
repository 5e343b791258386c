import type { opcodes } from '../flow/websocket-head.ts'

export type ControlOpcode = typeof opcodes.close | typeof opcodes.ping | typeof opcodes.pong

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

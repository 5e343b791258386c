/** The messages of the hub protocol, with the numbers and terms of the specification. */

import type { ReceiveBuffer } from './receive-buffer.ts'

/** A hub protocol, by the name clients request. */
export type ProtocolName = 'json' | 'messagepack'

export const MessageType = {
  Invocation: 1,
  StreamItem: 2,
  Completion: 3,
  StreamInvocation: 4,
  CancelInvocation: 5,
  Ping: 6,
  Close: 7,
  Ack: 8,
  Sequence: 9,
} as const

/** Replaces a value that could not be decoded in an otherwise valid message: the call fails, not the connection. */
export class Unreadable {
  readonly error: Error

  constructor(error: Error) {
    this.error = error
  }
}

/** Returns the value; throws the error of an `Unreadable`. */
export function readable<T>(value: T | Unreadable): T {
  if (value instanceof Unreadable) {
    throw value.error
  }
  return value
}

/** Calls an ordinary method. Without an id, no Completion is sent. */
export interface Invocation {
  readonly type: 1
  readonly invocationId: string | undefined
  readonly target: string
  readonly args: readonly unknown[] | Unreadable
  readonly streamIds: readonly string[]
}

/** Calls a method that answers with a stream. */
export interface StreamInvocation {
  readonly type: 4
  readonly invocationId: string
  readonly target: string
  readonly args: readonly unknown[] | Unreadable
  readonly streamIds: readonly string[]
}

export interface StreamItem {
  readonly type: 2
  readonly invocationId: string
  /** May be `Unreadable`. */
  readonly item: unknown
}

/** Ends an invocation or a stream: with an error, with a result, or (streams) with neither. */
export interface Completion {
  readonly type: 3
  readonly invocationId: string
  readonly error: string | undefined
  readonly hasResult: boolean
  /** May be `Unreadable`. */
  readonly result: unknown
}

export interface CancelInvocation {
  readonly type: 5
  readonly invocationId: string
}

export interface Ping {
  readonly type: 6
}

export interface Close {
  readonly type: 7
  readonly error: string | undefined
  readonly allowReconnect: boolean
}

/** Both belong to stateful reconnect, which we do not offer: they are read, checked and ignored. */
export interface Acknowledgement {
  readonly type: 8 | 9
  readonly sequenceId: number
}

/** A type of a later version: ignored, so that the messages after it are still read. */
export interface UnknownMessage {
  readonly type: 0
}

export type Message =
  | Invocation
  | StreamItem
  | Completion
  | StreamInvocation
  | CancelInvocation
  | Ping
  | Close
  | Acknowledgement
  | UnknownMessage

/** At least one whole messages, encoded for a transport. */
export type Payload = string | Uint8Array

/** Codec of one protocol. */
export interface HubProtocol {
  readonly name: ProtocolName
  readonly format: 'Text' | 'Binary'
  /**
   * Takes the next message from `input`; undefined while the message is incomplete. Throws for data that the protocol
   * does not allow, and for a message of more than `maxBytes`.
   */
  read(input: ReceiveBuffer, maxBytes: number, maxValues?: number): Message | undefined
  /** Throws for a value that cannot be encoded. */
  write(message: Message): Payload
}

export const unknownMessage: UnknownMessage = { type: 0 }
export const ping: Ping = { type: 6 }

/** Completion of a method that returned. A void method returns null: clients expect a result. */
export const completionWithResult = (invocationId: string, result: unknown): Completion => ({
  type: 3,
  invocationId,
  error: undefined,
  hasResult: true,
  result,
})

export const completionWithError = (invocationId: string, error: string): Completion => ({
  type: 3,
  invocationId,
  error,
  hasResult: false,
  result: undefined,
})

/** Completion that ends a stream. */
export const completionOfStream = (invocationId: string): Completion => ({
  type: 3,
  invocationId,
  error: undefined,
  hasResult: false,
  result: undefined,
})

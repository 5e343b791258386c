import { JsonHubProtocol, MessageType } from '@microsoft/signalr'

type HubMessages = ReturnType<JsonHubProtocol['parseMessages']>

/** A stream item with a long base64 string, as our server writes it. */
const bytesItem = /^\{"type":2,"invocationId":"([\w-]+)","item":"/
const separator = '\x1e'

/** Reads a single stream item without parsing its JSON; undefined for any other input. */
function readBytesItem(input: string): HubMessages[number] | undefined {
  const head = bytesItem.exec(input)
  const end = head ? input.indexOf('"', head[0].length) : -1
  if (!head || input.slice(end) !== `"}${separator}`) {
    return undefined
  }
  const item = input.slice(head[0].length, end)
  return item.includes('\\') ? undefined : { type: MessageType.StreamItem, invocationId: head[1]!, item: bytesOf(item) }
}

const bytesOf = (item: unknown) => (typeof item === 'string' ? Buffer.from(item, 'base64') : item)

/**
 * JSON protocol with support for bytes: stream items that are bytes are sent as base64, and base64 is received as bytes:
 * agents receive no other streams. Messages with bytes are assembled and read directly, because base64 needs no escaping,
 * and scanning for escapes takes longer than assembling (`npm run bench -- files`).
 */
export class AgentProtocol extends JsonHubProtocol {
  override parseMessages(...[input, logger]: Parameters<JsonHubProtocol['parseMessages']>): HubMessages {
    const item = readBytesItem(input)
    return item
      ? [item]
      : super
          .parseMessages(input, logger)
          .map((message) =>
            message.type === MessageType.StreamItem ? { ...message, item: bytesOf(message.item) } : message,
          )
  }

  override writeMessage(message: Parameters<JsonHubProtocol['writeMessage']>[0]): string {
    if (message.type !== MessageType.StreamItem || !(message.item instanceof Uint8Array)) {
      return super.writeMessage(message)
    }
    const { buffer, byteOffset, byteLength } = message.item
    const item = Buffer.from(buffer, byteOffset, byteLength).toString('base64')
    return `{"type":2,"invocationId":${JSON.stringify(message.invocationId)},"item":"${item}"}\x1e`
  }
}

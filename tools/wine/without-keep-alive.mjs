/** Loaded before the agent: connecting with keep-alive fails in Wine 8, and Node's fetch requests keep-alive. */
import { Socket } from 'node:net'

Socket.prototype.setKeepAlive = function () {
  return this
}

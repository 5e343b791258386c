/** Loaded before the agent: Wine 8 fails to connect a socket that is to be kept alive, and Node's fetch asks for that. */
import { Socket } from 'node:net'

Socket.prototype.setKeepAlive = function () {
  return this
}

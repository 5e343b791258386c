import { createHash } from 'node:crypto'

/*
 * Numbers of desktops (`systemSessionId`). Guest links are restricted to them, and any user can make displays and sockets
 * with chosen names (T37): no desktop may get the number of another one. They stay below 147,000,000, the room above the
 * numbers of desktops without a process.
 */

/** Number of a display of X11, without leading zeros, which would give two displays one number. */
export const x11Display = /^(0|[1-9]\d{0,5})$/
const firstOfX11 = 1_000

const firstOfWayland = 1_100_000
const waylandNumbers = 100_000_000

/** Sockets that compositors choose by themselves, and the greeter's login without one. */
const usualSocket = /^(wayland-\d)?$/

interface WaylandDesktop {
  userId: number
  /** Empty for a login whose session was not found. */
  socket: string
}

export const numberOfX11 = (display: string): number => firstOfX11 + Number(display.slice(1))

/**
 * Numbers of Wayland desktops, in their order. A hash, so that a desktop keeps its number; of two with one hash the
 * second gets the next number. Usual sockets come first: a user who searches for a name with another one's hash does not
 * get the number.
 */
export function numbersOfWayland(desktops: readonly WaylandDesktop[]): number[] {
  const numbers = desktops.map(() => 0)
  const taken = new Set<number>()
  const inOrder = desktops
    .map((desktop, index) => ({ ...desktop, index, isUsual: usualSocket.test(desktop.socket) }))
    .toSorted((one, other) => Number(other.isUsual) - Number(one.isUsual) || one.userId - other.userId)
  for (const { userId, socket, index } of inOrder) {
    let place = createHash('sha256').update(`${userId} ${socket}`).digest().readUInt32BE(0) % waylandNumbers
    while (taken.has(place)) {
      place = (place + 1) % waylandNumbers
    }
    taken.add(place)
    numbers[index] = firstOfWayland + place
  }
  return numbers
}

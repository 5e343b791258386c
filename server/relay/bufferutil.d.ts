/** The package brings no types. Without its native part it does the same in JavaScript. */
declare module 'bufferutil' {
  const bufferutil: { unmask(bytes: Buffer, mask: Buffer): void }
  export default bufferutil
}

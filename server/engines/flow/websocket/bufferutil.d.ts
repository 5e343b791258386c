/** The package has no types. Without its native part, its JavaScript fallback is used. */
declare module 'bufferutil' {
  const bufferutil: { unmask(bytes: Buffer, mask: Buffer): void }
  export default bufferutil
}

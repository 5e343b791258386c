/** Whether a certificate with these names covers the host of an address. */
export function isCovered(address: string, names: readonly string[]): boolean {
  const host = new URL(address).hostname.replace(/^\[(.*)\]$/, '$1')
  const parent = host.slice(host.indexOf('.') + 1)
  return names.some((name) => {
    const covered = name.toLowerCase()
    return covered === host || (host.includes('.') && covered === `*.${parent}`)
  })
}

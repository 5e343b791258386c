/** Runs on a host: announces another server's identity by its public key. */
import { networkInterfaces } from 'node:os'
import { Bonjour } from 'bonjour-service'

const [name = '', authority = '', port = ''] = process.argv.slice(2)

// Hosts have no router, so a socket without an interface would send nothing.
const options: object = { interface: networkInterfaces()['eth0']?.[0]?.address, bind: '0.0.0.0' }
new Bonjour(options).publish({ type: 'farhand', name, port: Number(port), txt: { authority, name }, probe: false })
console.log('open')

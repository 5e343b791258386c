/** Runs on a host: announces a server that is another's, by the key that everybody may know. */
import { networkInterfaces } from 'node:os'
import { Bonjour } from 'bonjour-service'

const [name = '', authority = '', port = ''] = process.argv.slice(2)

// No host knows a router, and a socket without an interface would send nothing.
const options: object = { interface: networkInterfaces()['eth0']?.[0]?.address, bind: '0.0.0.0' }
new Bonjour(options).publish({ type: 'farhand', name, port: Number(port), txt: { authority, name }, probe: false })
console.log('open')

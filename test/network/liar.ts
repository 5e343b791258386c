/** Runs on a host: announces a server that is another's, by the key that everybody may know. */
import { Bonjour } from 'bonjour-service'

const [name = '', authority = '', port = ''] = process.argv.slice(2)

new Bonjour().publish({ type: 'farhand', name, port: Number(port), txt: { authority, name }, probe: false })
console.log('open')

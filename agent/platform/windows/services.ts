import { WindowsServices } from '../../../shared/windows/services.ts'
import { UserError } from '../../base/errors.ts'
import { nativeFunctions } from '../../base/native-functions.ts'

/** Services of this device; its functions reject with a `UserError`. */
export const services = nativeFunctions((koffi) => new WindowsServices(koffi, UserError))

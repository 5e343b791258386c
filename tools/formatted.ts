import { format } from 'oxfmt'
import style from '../.oxfmtrc.json' with { type: 'json' }

/** Text in the format of this project; the file's name says the language. */
export const formatted = async (file: string, text: string): Promise<string> => (await format(file, text, style)).code

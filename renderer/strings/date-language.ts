import { account } from './en-own-account.ts'
import { isDateLanguage, dateLanguages } from './format.ts'

/** Name of the preference on the server. */
export const dateLanguagePreference = 'date-language'

/** Choices with an example each; the empty one follows the browser. */
export function dateLanguageOptions(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames('en', { type: 'language' })
  const example = (language?: string) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(Date.now())
  return [
    { value: '', label: `${account.browserLanguage} – ${example()}` },
    ...dateLanguages.map((value) => ({ value, label: `${names.of(value)} – ${example(value)}` })),
  ]
}

/** Language that a stored text names; undefined follows the browser. */
export const dateLanguageOf = (stored: string | null | undefined): string | undefined =>
  stored != null && isDateLanguage(stored) ? stored : undefined

/**
 * Form in which texts are compared when searching: full- and half-width letters, decomposed letters and letter cases are the
 * same. Upper case, because it is the same for both sigmas and splits ß into SS, as a case fold does.
 */
export const fold = (text: string): string => text.normalize('NFKC').toUpperCase()

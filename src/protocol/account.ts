/** Characters of a password, for the forms and for the door. */
export const passwordLength = { min: 10, max: 128 }

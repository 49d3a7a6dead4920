// TEST FIXTURES, made with OpenSSL for tests alone: self-signed, valid until 2126, guarding nothing.
import { createClientCertificate } from '@vedette/contracts'

const example = createClientCertificate.example as { cert: string; key: string }

export const testCertificate = example.cert

export const testPrivateKey = example.key

export const testPassphrase = 'open sesame'

export const testEncryptedKey = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgVV9pvUuXKCAICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEN5+m+4fa5+SiKYbvxZo4S4EgZAQ
ksYeZBfOoTnuCh2GqJ4UgdRi9zH/jeenv+TRKqud2Wo1fiPDZiUinSOVA9NrtTg8
AVmjvIYQOjB+IAbIfPoDtj6dTxRwTPE0p7fuJfMG3hj2gaxQHQYRvX11rmKfo9++
fUWa2RufXREKYWgjSKotmsMGquM8oxJup3fnIk3pQhU+nu2KhC/cAxiCuYraClE=
-----END ENCRYPTED PRIVATE KEY-----
`

export const testTraditionalKey = `-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-256-CBC,944D57E912165EE3A9A32F826C08C382

eTnR/DcpQ28d4rmKZ0uGyCgGxbJdrBOuPLr4RnPva1SCRK/wBGkJeF+lHiR+XzbF
T1WlrMQ0Xx0OpRCJXgUYGwFJ0MIKQWoMziU4dx5TdQ7xnTFQnyioYmb2zjg6dM3l
+a+MNEj/KbJTg4BUPhdU8rXfxRaOu3QstX9W79WzTJE=
-----END EC PRIVATE KEY-----
`

/** Encrypted with scrypt, whose work can't be bounded by one number. */
export const testScryptKey = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHkME8GCSqGSIb3DQEFDTBCMCEGCSsGAQQB2kcECzAUBAhrqMaFOSjA5AICQAAC
AQgCAQEwHQYJYIZIAWUDBAEqBBAvXjUr/CtrMm7MhaonDoASBIGQiF224ztmSEru
4XGPfhyKqDujIzCTtTYWbqxJLXm2nfMndNA+HRTFxGfBzfQafDj3Q3GKhZDSo2lb
2av2TpWTsx6gZmVnQAHuL6HpcyuTZL5m/EQaKU7fIgY5hrwk2LJKxIaLJM+9P06D
0VdnCh7vlM0jqmL8ykVGHBVqdDa9u/NoLkb9OnxGsqQxMn0Rm65Y
-----END ENCRYPTED PRIVATE KEY-----
`

/** Encrypted with PBKDF2 and 1,000,001 iterations. */
export const testSlowKey = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHtMFgGCSqGSIb3DQEFDTBLMCoGCSqGSIb3DQEFDDAdBAjrCRE0sQ7wiQIDD0JB
MAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBCffSP3PGEaBVQLesVgi6JGBIGQ
tdzFY8WHaSJ6Sa2hTGflQoj/EOkeS4AOTLFRB5GNeTsuxNoqK3H5K/t9hXsqM4Iv
epXENgBmiFJYDuv0NDGcf3MInC6NQ0tC4OGcaftRYIftaz8NggvbrAoCGc1C3znE
AVt1Hh6tUmuTsvG6RXcwItJpzdpa31wT/ct6vMVRWQ9yvpkmYzIL2Po+Syq0iQ1T
-----END ENCRYPTED PRIVATE KEY-----
`

export const otherTestCertificate = `-----BEGIN CERTIFICATE-----
MIIBpzCCAU2gAwIBAgIUcDuFAHO25gCsWI6daLUzaLlp8lYwCgYIKoZIzj0EAwIw
KDEmMCQGA1UEAwwdVmVkZXR0ZSB0ZXN0IGZpeHR1cmUsIGFub3RoZXIwIBcNMjYx
MTE1MDMzMDQ4WhgPMjEyNjEwMjIwMzMwNDhaMCgxJjAkBgNVBAMMHVZlZGV0dGUg
dGVzdCBmaXh0dXJlLCBhbm90aGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
tdtHp4KJg69iFHK0R58eyZx4azXgx2v45LtjTJfTqfhzlult5/5SEMiLTEHq9/KV
8Gybhg9Agpi2/N7100EASaNTMFEwHQYDVR0OBBYEFJ8RNaeWnSgGxtvbvye/ocuJ
ivIfMB8GA1UdIwQYMBaAFJ8RNaeWnSgGxtvbvye/ocuJivIfMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgO2GwAHXta65n5zDqGsviZ9uyDI1GF0JI
h4P4M21S1Z8CIQDpQNn/256WyDOcV1sci22cw4/XN3rYG10JFQUUkmA4MA==
-----END CERTIFICATE-----
`

export const otherTestPrivateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzrcT2iM+wRCuuPbA
Pa9MfLR2VaP7USdBeA8RXt0LnoahRANCAAS120engomDr2IUcrRHnx7JnHhrNeDH
a/jku2NMl9Op+HOW6W3n/lIQyItMQer38pXwbJuGD0CCmLb83vXTQQBJ
-----END PRIVATE KEY-----
`

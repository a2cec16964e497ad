module dragoman/tests/clients

go 1.21

require github.com/microsoft/go-mssqldb v1.9.3

// Package look lets a model see what it works on: pages of documents as images.
package look
